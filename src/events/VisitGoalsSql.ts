import { Statement } from "effect/sql";

/**
 * Subquery for a row `p` with a tenant, a `location_id` and a `trigger_type`: the keys of the campaigns whose
 * goal an enter there meets, `goal_campaigns`; null for none. A goal without locations and groups is met
 * anywhere.
 */
export const visitGoalsSql: Statement.Fragment = Statement.fragment([
  Statement.literal(`(
    SELECT array_agg(v.key) AS goal_campaigns FROM campaign v
    WHERE v.workspace_id = p.workspace_id AND v.environment = p.environment AND v.goal IS NOT NULL
      AND v.goal ->> 'type' = 'visit' AND p.trigger_type = 'on_enter' AND (
        NOT jsonb_exists_any(v.goal, ARRAY['location_ids', 'location_group_ids'])
        OR jsonb_exists(v.goal -> 'location_ids', p.location_id::text)
        OR EXISTS (
          SELECT FROM location_group_member m
          WHERE m.workspace_id = p.workspace_id AND m.environment = p.environment
            AND m.location_id = p.location_id
            AND jsonb_exists(v.goal -> 'location_group_ids', m.group_id::text)))
  )`),
]);
