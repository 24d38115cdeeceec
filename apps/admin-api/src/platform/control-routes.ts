import type { ControlPlanePath } from '@gw/contracts';
import { applyDecorators, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

/**
 * A controller of the control plane: every path answers under `/v1` and `/v2`, by the same handlers. The first path is the name in the
 * public document. Paths begin with a segment that the gateway forwards (`CONTROL_PLANE_SEGMENTS`).
 */
export const ControlRoutes = (...paths: [ControlPlanePath, ...ControlPlanePath[]]): ClassDecorator =>
  applyDecorators(Controller(paths.flatMap((path) => [`v1/${path}`, `v2/${path}`])), ApiTags(paths[0]));
