import { serve } from "../../../src/worker/index.ts";
import { makeProducts } from "./products.ts";

serve(makeProducts(), self);
