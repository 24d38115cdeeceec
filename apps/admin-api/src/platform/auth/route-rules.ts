import type { INestApplicationContext } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { ACCESS_RULE, type AccessRule } from './access';

export interface RouteRule {
  /** Name of the handler, for example `WorkspacesController.create`. */
  readonly name: string;
  readonly rule: AccessRule | undefined;
}

/** Returns every route handler of the app with its access rule. */
export function routeRules(app: INestApplicationContext): RouteRule[] {
  const scanner = new MetadataScanner();
  return [...app.get(ModulesContainer).values()]
    .flatMap((module) => [...module.controllers.values()])
    .flatMap(({ metatype }) => {
      const prototype = (metatype as { prototype: object } | null)?.prototype;
      if (!prototype) return [];
      return scanner.getAllMethodNames(prototype).flatMap((method): RouteRule[] => {
        const handler = Reflect.get(prototype, method) as object;
        if (!Reflect.hasMetadata(PATH_METADATA, handler) || !Reflect.hasMetadata(METHOD_METADATA, handler))
          return [];
        const rule = Reflect.getMetadata(ACCESS_RULE, handler) as AccessRule | undefined;
        return [{ name: `${prototype.constructor.name}.${method}`, rule }];
      });
    });
}

/**
 * Throws at start if a route has no access rule; the guard would refuse every caller of such a
 * route.
 */
export function assertEveryRouteHasARule(app: INestApplicationContext): void {
  const silent = routeRules(app).filter(({ rule }) => rule === undefined);
  if (silent.length > 0) {
    throw new Error(`Routes without an access rule: ${silent.map(({ name }) => name).join(', ')}.`);
  }
}
