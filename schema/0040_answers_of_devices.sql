-- Finds the answers of a device, for the export of a person and the erasure. By the primary keys, a
-- PostgreSQL before 18 reads all answers of the environment for each device.
CREATE INDEX survey_response_of_device ON survey_response (device_key, workspace_id, environment);
CREATE INDEX test_response_of_device ON test_response (device_key, workspace_id, environment);
