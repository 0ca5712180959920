import { memoryMediaStore } from "./MemoryMediaStore.ts";
import { mediaStoreCases } from "./MediaStoreCases.ts";

mediaStoreCases("the media store in memory", memoryMediaStore);
