import type { JsonObject } from '../call';
import type { Target } from '../target';
import { asString, optional } from '../values/json';

/** Returns the project or the space of watsonx.ai that a request belongs to. */
export const projectOf = ({ settings = {} }: Target): JsonObject => ({
  ...optional('project_id', asString(settings['watsonx_project_id']) ?? undefined),
  ...optional('space_id', asString(settings['watsonx_space_id']) ?? undefined),
});
