import type { ControlPlanePath } from '@gw/contracts';
import { applyDecorators, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

/**
 * Declares a controller of the control plane. The same handlers serve every path under `/v1` and
 * `/v2`. The first path is the tag in the public document. Paths must begin with a segment that the
 * gateway forwards (`CONTROL_PLANE_SEGMENTS`).
 */
export const ControlRoutes = (...paths: [ControlPlanePath, ...ControlPlanePath[]]): ClassDecorator =>
  applyDecorators(Controller(paths.flatMap((path) => [`v1/${path}`, `v2/${path}`])), ApiTags(paths[0]));
