import { assistants } from './assistants';
import { audio } from './audio';
import { batches } from './batches';
import { files } from './files';
import { fineTuning } from './fine-tuning';
import { gemini } from './gemini';
import { images } from './images';
import { messages } from './messages';
import { models } from './models';
import { prompts } from './prompts';
import { realtime } from './realtime';
import { responses } from './responses';
import { text } from './text';
import { threads } from './threads';
import { vectorStores } from './vector-stores';
import type { RouteRow } from '../route-rows';

/**
 * Every built-in route, in the order of the OpenAPI document. All other paths are passthrough. One
 * line adds a family.
 */
export const ROUTE_ROWS: readonly RouteRow[] = [
  ...text,
  ...audio,
  ...images,
  ...files,
  ...batches,
  ...fineTuning,
  ...realtime,
  ...models,
  ...assistants,
  ...threads,
  ...vectorStores,
  ...responses,
  ...prompts,
  ...messages,
  ...gemini,
];
