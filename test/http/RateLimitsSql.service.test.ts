import { TestStatements } from "../database/TestStatements.ts";
import { newTenants } from "../TestTenants.ts";
import { rateLimitRules } from "./RateLimitRules.ts";

rateLimitRules(TestStatements.layer, newTenants);
