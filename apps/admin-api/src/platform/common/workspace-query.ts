import type { ApiQueryOptions } from '@nestjs/swagger';

/** Documents the parameter by which a credential of the whole organisation names the workspace; the guard reads it. */
export const WORKSPACE_ID: ApiQueryOptions = {
  name: 'workspace_id',
  required: false,
  description: 'Id or slug of the workspace; needed with a credential of the whole organisation.',
};
