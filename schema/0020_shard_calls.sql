-- What a statement needs that the node of a shard runs whole (docs/decisions/0061). Without Citus it runs on
-- the tables themselves.

-- Always empty. A DELETE on it, in the statement that calls the function, tells Citus that the shard changes.
CREATE TABLE shard_call (
  workspace_id integer PRIMARY KEY
);

-- Runs a statement on the shards of a workspace, and returns its rows. The statement has %1$s and so on for
-- its tables. Types are those of its parameters, or unknown; parameters are their values as text.
--
-- Planning costs more than running, so a session keeps up to 100 plans, of 0.3 MB each. They are generic: for
-- few rows PostgreSQL takes a plan of its own to be cheaper, and would plan each time. A setting of the
-- session has the names of the statements, because pg_prepared_statements copies the texts of all. After a
-- rollback the setting lacks those that the transaction prepared.
CREATE FUNCTION run_on_shard(
  workspace integer, tables text[], statement text, types text[], parameters text[]
) RETURNS SETOF jsonb LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  kept text := COALESCE(current_setting('waypost.shard_statements', true), '');
  shard bigint := 0;
  names text[] := tables;
  prepared text;
  is_kept boolean;
  found record;
BEGIN
  IF to_regproc('get_shard_id_for_distribution_column') IS NOT NULL THEN
    shard := get_shard_id_for_distribution_column(tables[1]::regclass, workspace);
  END IF;
  prepared := 'shard_' || shard || '_' || md5(statement || types::text);
  is_kept := position(prepared IN kept) > 0;
  IF NOT is_kept THEN
    IF shard > 0 THEN
      SELECT array_agg(shard_name(t.name, s.id) ORDER BY t.ord) INTO names
      FROM unnest(tables::regclass[]) WITH ORDINALITY AS t (name, ord)
      CROSS JOIN LATERAL (SELECT get_shard_id_for_distribution_column(t.name, workspace) AS id) AS s;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_prepared_statements p WHERE p.name = prepared) THEN
      EXECUTE format('PREPARE %I (%s) AS %s', prepared, array_to_string(types, ', '),
        format(statement, VARIADIC names));
    END IF;
    IF length(kept) < 100 * length(prepared) THEN
      PERFORM set_config('waypost.shard_statements', kept || prepared, false);
      is_kept := true;
    END IF;
  END IF;
  FOR found IN EXECUTE format('EXECUTE %I (%s)', prepared,
    (SELECT string_agg(quote_nullable(p.value), ', ' ORDER BY p.ord)
      FROM unnest(parameters) WITH ORDINALITY AS p (value, ord)))
  LOOP
    RETURN NEXT to_jsonb(found);
  END LOOP;
  IF NOT is_kept THEN
    EXECUTE format('DEALLOCATE %I', prepared);
  END IF;
END $$;
