import type { WorkspaceDefaults, WorkspaceEntity } from '@gw/entities';
import type { EntityManager } from 'typeorm';
import {
  guardrailIdsOf,
  guardrailSlugsOf,
  type GuardrailScope,
} from '../../platform/rows/guardrail-references';
import { heldMetadata } from '../../platform/rows/held-metadata';
import { configIdOf, configSlugsOf } from '../../platform/rows/config-references';
import type { WorkspaceDefaultsDto } from './workspaces.dto';

export const CLEARED_DEFAULTS: WorkspaceDefaultsDto = {
  metadata: null,
  user_api_key_config: null,
  input_guardrails: null,
  output_guardrails: null,
};

/**
 * Owner of the defaults. `workspaceId` is null while the workspace is being created and has no
 * configs or guardrails of its own.
 */
interface Owner extends GuardrailScope {
  readonly defaults: WorkspaceDefaults;
}

/**
 * Returns the defaults to store: an absent field keeps its value, null clears it. Metadata of a new
 * workspace and new metadata must match the organisation's schema. Throws `validation_failed`.
 */
export async function mergeDefaults(
  manager: EntityManager,
  owner: Owner,
  input: WorkspaceDefaultsDto,
): Promise<WorkspaceDefaults> {
  const { organisationId, workspaceId, defaults } = owner;
  const metadata =
    input.metadata === undefined && workspaceId !== null
      ? defaults.metadata
      : await heldMetadata(manager, organisationId, 'workspaceMetadataSchema', input.metadata ?? null);
  const config = await mergedConfig(manager, owner, input.user_api_key_config);
  const guardrails: Record<string, readonly string[]> = {};
  for (const list of ['input_guardrails', 'output_guardrails'] as const) {
    const sentList = input[list];
    const ids =
      sentList === undefined
        ? (defaults[list] ?? [])
        : await guardrailIdsOf(manager, owner, sentList ?? [], `defaults.${list}`);
    if (ids.length > 0) guardrails[list] = ids;
  }
  return {
    ...(metadata ? { metadata } : {}),
    ...(config ? { user_api_key_config: config } : {}),
    ...guardrails,
  };
}

async function mergedConfig(
  manager: EntityManager,
  { workspaceId, defaults }: Owner,
  reference: string | null | undefined,
): Promise<string | null | undefined> {
  if (reference === undefined) return defaults.user_api_key_config;
  if (!reference || workspaceId === null) return null;
  return configIdOf(manager, workspaceId, reference, 'defaults.user_api_key_config');
}

/**
 * Returns the slugs, by id, of the configs and guardrails that the defaults of the workspaces name.
 */
export async function defaultSlugsOf(
  manager: EntityManager,
  rows: readonly WorkspaceEntity[],
): Promise<ReadonlyMap<string, string>> {
  const configs = await configSlugsOf(
    manager,
    rows.map(({ defaults }) => defaults.user_api_key_config),
  );
  const named = rows.flatMap(({ defaults }) => [
    ...(defaults.input_guardrails ?? []),
    ...(defaults.output_guardrails ?? []),
  ]);
  return new Map([...configs, ...(await guardrailSlugsOf(manager, named))]);
}
