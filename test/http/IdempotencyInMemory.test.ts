import { tenantsInMemory } from "../TestTenants.ts";
import { idempotencyInMemory } from "./IdempotencyInMemory.ts";
import { idempotencyRules } from "./IdempotencyRules.ts";

idempotencyRules(idempotencyInMemory, tenantsInMemory);
