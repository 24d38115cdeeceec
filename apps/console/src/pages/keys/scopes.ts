import { SCOPES, scopesAllowedFor } from '@gw/auth-scopes';
import { useMemo } from 'react';
import { useSessionFacts, useWorkspaceOrNull } from '../../app';
import type { KeyType } from './key-types';

export const PRESETS = ['call', 'read', 'manage'] as const;
export type Preset = (typeof PRESETS)[number];

const CALL = ['completions', 'prompts', 'guardrails', 'mcp', 'agents', 'logs'].map((resource) => {
  if (resource === 'completions' || resource === 'logs') return `${resource}.write`;
  return `${resource}.${resource === 'prompts' ? 'render' : 'invoke'}`;
});
const READ = ['logs.list', 'logs.view', 'logs.export', 'analytics.view'];

/**
 * Why a scope cannot be chosen: `type` when keys of the type cannot hold it, `creator` when the
 * creator lacks it.
 */
export type Lock = 'type' | 'creator';

export function lockOf(scope: string, type: KeyType, held: ReadonlySet<string>): Lock | null {
  if (!scopesAllowedFor(type).has(scope)) return 'type';
  return held.has(scope) ? null : 'creator';
}

/** Scopes of a preset that a key of the type may hold and the creator may grant. */
export function scopesOfPreset(preset: Preset, type: KeyType, held: ReadonlySet<string>): readonly string[] {
  const wanted = preset === 'call' ? CALL : preset === 'read' ? READ : SCOPES;
  return wanted.filter((scope) => lockOf(scope, type, held) === null);
}

/** Returns the preset with exactly these scopes; null for a custom choice. */
export const presetOf = (
  scopes: readonly string[],
  type: KeyType,
  held: ReadonlySet<string>,
): Preset | null =>
  PRESETS.find((preset) => {
    const wanted = scopesOfPreset(preset, type, held);
    return (
      wanted.length > 0 && wanted.length === scopes.length && wanted.every((scope) => scopes.includes(scope))
    );
  }) ?? null;

const resourceOf = (scope: string): string => scope.slice(0, scope.indexOf('.'));

/** Resources with their scopes, in the order of the catalogue. */
export const RESOURCES: readonly (readonly [resource: string, scopes: readonly string[]])[] = [
  ...new Set(SCOPES.map(resourceOf)),
].map((resource) => [resource, SCOPES.filter((scope) => resourceOf(scope) === resource)]);

const EVERYWHERE = ['owner', 'admin'];

/**
 * Scopes that the caller holds here: those of the workspace, and those of an organisation role that
 * applies in every workspace.
 */
export function useHeldScopes(): ReadonlySet<string> {
  const { permissions } = useSessionFacts();
  const workspace = useWorkspaceOrNull();
  return useMemo(() => {
    const { organisation, workspaces } = permissions;
    const own = workspaces.find(({ id }) => id === workspace?.id)?.scopes ?? [];
    return new Set([...(EVERYWHERE.includes(organisation.role) ? organisation.scopes : []), ...own]);
  }, [permissions, workspace]);
}
