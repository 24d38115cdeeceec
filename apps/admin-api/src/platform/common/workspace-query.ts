import type { ApiQueryOptions } from '@nestjs/swagger';

/**
 * Documents the `workspace_id` parameter, with which a credential of the whole organisation names
 * the workspace; `namedWorkspace` reads it.
 */
export const WORKSPACE_ID: ApiQueryOptions = {
  name: 'workspace_id',
  required: false,
  description: 'Id or slug of the workspace; required with a credential of the whole organisation.',
};
