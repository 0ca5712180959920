/** The resources of the operator that pages of devices show, as they are on the wire. Types only. */
import type { DeliveryResource as DeliverySchema } from "../../src/sending/deliveries/DeliveryResource.ts";
import type { Erasure as ErasureSchema } from "../../src/people/Person.ts";

/** One message to one device, as the operator sees it. */
export type Delivery = (typeof DeliverySchema)["Encoded"];
/** How many devices were erased. */
export type ErasureResult = (typeof ErasureSchema)["Encoded"];
