import { TestStatements } from "../database/TestStatements.ts";
import { newTenants } from "../TestTenants.ts";
import { idempotencyRules } from "./IdempotencyRules.ts";

idempotencyRules(TestStatements.layer, newTenants);
