/**
 * Condition on a row of pg_stat_activity: the session waits for the client. A session of Citus that waits for
 * its workers seems to read from the client. Only its state differs from a session that waits for the rest of
 * a statement; that of other servers is then active too.
 */
export const readsFromClient = `wait_event = 'ClientRead' AND (state <> 'active'
  OR NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus'))`;
