-- Media files: a row here, the bytes in the media store under `key`, and nothing in the store that is not named in one of
-- the two tables below.

CREATE TABLE media_file (
  workspace_id     integer NOT NULL,
  environment      text NOT NULL,
  id               uuid NOT NULL,
  -- Names the bytes in the store and in the public address, so it cannot be guessed: 192 random bits.
  key              text NOT NULL UNIQUE CHECK (key ~ '^[A-Za-z0-9_-]{32}$'),
  name             text NOT NULL CHECK (name <> ''),
  kind             text NOT NULL CHECK (kind IN ('image', 'video', 'audio')),
  mime_type        text NOT NULL CHECK (mime_type <> ''),
  size_bytes       integer NOT NULL CHECK (size_bytes > 0),
  width            integer CHECK (width > 0),
  height           integer CHECK (height > 0),
  duration_seconds double precision CHECK (duration_seconds >= 0),
  -- Only an image has a thumbnail of its own: it is made after the upload, by whoever claims it first.
  thumbnail        text NOT NULL CHECK (thumbnail IN ('none', 'pending', 'ready', 'failed')),
  thumbnail_tries  smallint NOT NULL DEFAULT 0,
  -- From when on a worker may take a pending one: one that is taken lies ahead by the length of the claim.
  thumbnail_due_at timestamptz,
  created_at       timestamptz NOT NULL,
  updated_at       timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, id),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK ((kind = 'image') = (thumbnail <> 'none')),
  CHECK ((thumbnail = 'pending') = (thumbnail_due_at IS NOT NULL))
);

CREATE INDEX media_file_thumbnail_due ON media_file (thumbnail_due_at) WHERE thumbnail = 'pending';

-- Keys whose bytes may be in the store and belong to no file. A key is written here, and committed, before its first byte is stored; the
-- transaction that makes the file takes it out. So a crash leaves bytes whose key falls due here, never bytes that nobody knows.
-- Global: bytes outlive their workspace.
CREATE TABLE media_garbage (
  key      text PRIMARY KEY,
  -- An upload may still make a file of it.
  arriving boolean NOT NULL,
  -- How often the bytes are still to be removed: a thumbnail can be under way when its file is deleted, so that takes two.
  removals smallint NOT NULL CHECK (removals > 0),
  due_at   timestamptz NOT NULL
);

CREATE INDEX media_garbage_due ON media_garbage (due_at);

-- However a file goes, also with its whole workspace, its key is left here, due at once.
CREATE FUNCTION media_file_to_garbage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO media_garbage (key, arriving, removals, due_at) VALUES (OLD.key, false, 2, '-infinity')
  ON CONFLICT (key) DO UPDATE SET arriving = false, removals = 2, due_at = '-infinity';
  RETURN NULL;
END
$$;

CREATE TRIGGER media_file_deleted AFTER DELETE ON media_file
  FOR EACH ROW EXECUTE FUNCTION media_file_to_garbage();

-- What the file was stays with the content that was sent, whatever becomes of the file.
ALTER TABLE content ADD COLUMN media_kind text CHECK (media_kind IN ('image', 'video', 'audio'));
ALTER TABLE content ADD CHECK ((media_kind IS NULL) = (media_asset_id IS NULL));
ALTER TABLE content ADD CHECK (type = 'message' OR media_asset_id IS NULL);

-- The file of the current content: while it stands here the file cannot be deleted. Earlier contents hold nothing.
ALTER TABLE notification ADD COLUMN media_id uuid;
ALTER TABLE notification ADD FOREIGN KEY (workspace_id, environment, media_id)
  REFERENCES media_file (workspace_id, environment, id);

CREATE INDEX notification_of_media ON notification (media_id, workspace_id, environment) WHERE media_id IS NOT NULL;
