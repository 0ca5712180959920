import { arrayOf, asNumber } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { columnValues, onlyValue } from "../../database/Statements.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { registeredDevices } from "../ReportConditionsSql.ts";
import { inTenant } from "../../database/TenantColumns.ts";
import type { LocationKey } from "../../wire/Ids.ts";

/** The statements of estimates. Bound: 1 row, or the plan's 10,000 locations. */
export class CampaignEstimatesSql extends SqlService<CampaignEstimatesSql>(
  "waypost/reports/estimates/CampaignEstimatesSql",
)((sql) => ({
  /** Registered devices now, from the counter of the rollups. */
  registered: (tenant: Tenant) =>
    onlyValue(sql<{ readonly devices: number }>`
      SELECT ${asNumber("devices")} AS devices FROM (${registeredDevices(sql, tenant)}) AS registered`),

  /** The keys of the locations, and of those in the groups; each once. */
  locationKeys: (tenant: Tenant, locationIds: ReadonlyArray<string>, groupIds: ReadonlyArray<string>) =>
    columnValues(sql<{ readonly key: LocationKey }>`
      SELECT key FROM location
      WHERE ${inTenant(tenant)} AND id IN (
        SELECT unnest(${arrayOf("uuid", locationIds)})
        UNION
        SELECT location_id FROM location_group_member
        WHERE ${inTenant(tenant)} AND group_id = ANY (${arrayOf("uuid", groupIds)}))`),
})) {}
