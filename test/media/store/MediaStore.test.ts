import { memoryMediaStore } from "../../../src/media/store/MemoryMediaStore.ts";
import { mediaStoreCases } from "./MediaStoreCases.ts";

mediaStoreCases("the media store in memory", memoryMediaStore);
