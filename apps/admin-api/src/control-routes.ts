import { applyDecorators, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

/**
 * A controller of the control plane: every path answers under `/v1` and `/v2`, by the same handlers. The first path is the
 * name in the public document.
 */
export const ControlRoutes = (...paths: [string, ...string[]]): ClassDecorator =>
  applyDecorators(Controller(paths.flatMap((path) => [`v1/${path}`, `v2/${path}`])), ApiTags(paths[0]));
