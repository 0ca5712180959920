-- Locations and their groups, which only the GeoJSON import creates.

-- Orders changes of shapes. One sequence for all tenants, so that a revision never repeats.
CREATE SEQUENCE location_revision AS bigint;

CREATE TABLE location (
  workspace_id  integer NOT NULL,
  environment   text NOT NULL,
  id            uuid NOT NULL,
  -- Events refer to the location by this key.
  key           integer GENERATED ALWAYS AS IDENTITY,
  name          text NOT NULL CHECK (name <> ''),
  search_name   text NOT NULL GENERATED ALWAYS AS (search_text(name)) STORED,
  external_id   text CHECK (external_id <> ''),
  address       text CHECK (address <> ''),
  type          text NOT NULL CHECK (type IN ('circle', 'polygon')),
  -- The circle, or the bounding circle of a polygon.
  latitude      double precision NOT NULL CHECK (latitude BETWEEN -90 AND 90),
  longitude     double precision NOT NULL CHECK (longitude BETWEEN -180 AND 180),
  radius_meters integer NOT NULL CHECK (radius_meters > 0),
  -- The rings of a polygon as GeoJSON coordinates.
  rings         jsonb,
  revision      bigint NOT NULL DEFAULT nextval('location_revision'),
  created_at    timestamptz NOT NULL,
  updated_at    timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, id),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK ((type = 'polygon') = (rings IS NOT NULL))
);

SELECT index_searched_names('location');

CREATE UNIQUE INDEX location_external_id ON location (external_id, workspace_id, environment)
  WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX location_key ON location (key, workspace_id, environment);

-- The id of a deleted location, for the events and deliveries that name its key.
CREATE TABLE deleted_location (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  key          integer NOT NULL,
  id           uuid NOT NULL,
  PRIMARY KEY (workspace_id, environment, key),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

CREATE TABLE location_group (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  id           uuid NOT NULL,
  name         text NOT NULL CHECK (name <> ''),
  created_at   timestamptz NOT NULL,
  updated_at   timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, id),
  UNIQUE (name, workspace_id, environment),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

CREATE TABLE location_group_member (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  group_id     uuid NOT NULL,
  location_id  uuid NOT NULL,
  PRIMARY KEY (location_id, group_id, workspace_id, environment),
  FOREIGN KEY (workspace_id, environment, group_id)
    REFERENCES location_group (workspace_id, environment, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, environment, location_id)
    REFERENCES location (workspace_id, environment, id) ON DELETE CASCADE
);

CREATE INDEX location_group_member_of_group ON location_group_member (group_id, workspace_id, environment);
