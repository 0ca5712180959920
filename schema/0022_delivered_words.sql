-- What a device was sent does not change (contract T7). The texts of a notification with a template or
-- translations differ by device, so each of its deliveries keeps what they read: with the content, which is
-- immutable, and the instant of the delivery, they render to the same words at any later time.

-- Attributes, locale, platform and time zone of the device, location and campaign name, as far as the texts
-- read them: {"locale": "nl", "attributes": {"name": "Ada"}}. Null for a content that is the same for all
-- devices, for a failed rendering, after the device was erased, and for deliveries of before this migration,
-- which are rendered for the device as it is now.
ALTER TABLE delivery ADD COLUMN recipient jsonb;
