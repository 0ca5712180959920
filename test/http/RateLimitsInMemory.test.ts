import { tenantsInMemory } from "../TestTenants.ts";
import { rateLimitRules } from "./RateLimitRules.ts";
import { rateLimitsInMemory } from "./RateLimitsInMemory.ts";

rateLimitRules(rateLimitsInMemory, tenantsInMemory);
