-- Options of pushes (contract T2), and what was left out of a push to fit the limit of its service (T3).

-- {"sound": …, "badge": …, …} with all its names, null where not set; null for the defaults of the services.
ALTER TABLE content ADD COLUMN push jsonb;

-- ["body", "data"]: what was cut from the push as it was last sent; null for nothing.
ALTER TABLE delivery ADD COLUMN cut jsonb;
