import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants';
import type { FastifyContextConfig } from 'fastify';

/** Adds to what hooks of the server see of a route, in `request.routeOptions.config`. What is there already wins. */
export const addRouteConfig =
  (config: FastifyContextConfig): MethodDecorator =>
  (_target, _key, descriptor) => {
    const handler = descriptor.value as object;
    const before = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as
      FastifyContextConfig | undefined;
    Reflect.defineMetadata(FASTIFY_ROUTE_CONFIG_METADATA, { ...config, ...before }, handler);
  };
