-- Media files. The rows are here, the bytes are in the media store under `key`. Every key with bytes in the
-- store is in one of these two tables.

CREATE TABLE media_file (
  workspace_id     integer NOT NULL,
  environment      text NOT NULL,
  id               uuid NOT NULL,
  -- 192 random bits: the key is in the public address, which must not be guessable.
  key              text NOT NULL UNIQUE CHECK (key ~ '^[A-Za-z0-9_-]{32}$'),
  name             text NOT NULL CHECK (name <> ''),
  search_name      text NOT NULL GENERATED ALWAYS AS (search_text(name)) STORED,
  kind             text NOT NULL CHECK (kind IN ('image', 'video', 'audio')),
  mime_type        text NOT NULL CHECK (mime_type <> ''),
  size_bytes       integer NOT NULL CHECK (size_bytes > 0),
  width            integer CHECK (width > 0),
  height           integer CHECK (height > 0),
  duration_seconds double precision CHECK (duration_seconds >= 0),
  -- Only images have their own thumbnail. A worker draws it after the upload.
  thumbnail        text NOT NULL CHECK (thumbnail IN ('none', 'pending', 'ready', 'failed')),
  thumbnail_tries  smallint NOT NULL DEFAULT 0,
  -- When a worker may lease a pending thumbnail. A lease moves it to its expiry.
  thumbnail_due_at timestamptz,
  created_at       timestamptz NOT NULL,
  updated_at       timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, id),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK ((kind = 'image') = (thumbnail <> 'none')),
  CHECK ((thumbnail = 'pending') = (thumbnail_due_at IS NOT NULL))
);

SELECT index_searched_names('media_file');

-- Workspaces take turns, each with the thumbnail that is due longest.
CREATE INDEX media_file_thumbnail_due ON media_file (workspace_id, thumbnail_due_at)
  WHERE thumbnail = 'pending';

-- Keys whose bytes may be in the store without a file. An upload commits its key here before it stores the
-- first byte, and the transaction that inserts the file deletes it. So a crash leaves bytes whose key becomes
-- due here, and never unknown bytes. The table has no tenant, because bytes outlive their workspace.
CREATE TABLE media_garbage (
  key      text PRIMARY KEY,
  -- True while an upload may still turn the bytes into a file.
  arriving boolean NOT NULL,
  -- How many removals are still due: two if a thumbnail may be written while its file is deleted.
  removals smallint NOT NULL CHECK (removals > 0),
  due_at   timestamptz NOT NULL
);

CREATE INDEX media_garbage_due ON media_garbage (due_at);

-- Every deleted file leaves its key in media_garbage, also when the whole workspace is deleted.
CREATE FUNCTION media_file_to_garbage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO media_garbage (key, arriving, removals, due_at) VALUES (OLD.key, false, 2, '-infinity')
  ON CONFLICT (key) DO UPDATE SET arriving = false, removals = 2, due_at = '-infinity';
  RETURN NULL;
END
$$;

CREATE TRIGGER media_file_deleted AFTER DELETE ON media_file
  FOR EACH ROW EXECUTE FUNCTION media_file_to_garbage();
