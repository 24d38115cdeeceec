import {
  ApiKeyEntity,
  WorkspaceEntity,
  type ConfigEntity,
  type GuardrailEntity,
  type WorkspaceDefaults,
} from '@gw/entities';
import { Not, type EntityManager } from 'typeorm';
import { assertMayChangeLimits } from './grants';
import type { Principal } from '../common/principal';

/**
 * A setting that applies a config or guardrail to requests, and the rank of the role that set it.
 */
interface Binding {
  readonly setting: string;
  readonly setBy: number;
}

type BoundConfig = Pick<ConfigEntity, 'id' | 'workspaceId'>;

/**
 * Throws `forbidden` when the caller may not change the content of a config: a higher role made it
 * the default of user keys, or of a key that may not override its config. A new content would lift
 * that role's setting as much as another default would.
 */
export async function assertMayChangeConfig(
  manager: EntityManager,
  caller: Principal,
  row: BoundConfig,
): Promise<void> {
  assertNoneAbove(caller, await bindingsOfConfigs(manager, row.workspaceId, [row.id]));
}

/**
 * Applies the same rule to a guardrail that is a default of the workspace or that a config named by
 * such a setting uses. `configs` are the configs of the workspace that name the guardrail.
 */
export async function assertMayChangeGuardrail(
  manager: EntityManager,
  caller: Principal,
  { id, workspaceId }: Pick<GuardrailEntity, 'id' | 'workspaceId'>,
  configs: readonly { readonly id: string }[],
): Promise<void> {
  // Changing an organisation's guardrail needs scopes of the organisation, which is a sufficient
  // check.
  if (workspaceId === null) return;
  const configIds = configs.map((config) => config.id);
  assertNoneAbove(caller, [
    ...(await bindingsOfWorkspace(manager, workspaceId, (defaults) =>
      (['input_guardrails', 'output_guardrails'] as const).filter((list) => defaults[list]?.includes(id)),
    )),
    ...(await bindingsOfConfigs(manager, workspaceId, configIds)),
  ]);
}

function assertNoneAbove(caller: Principal, bindings: readonly Binding[]): void {
  for (const { setting, setBy } of bindings) assertMayChangeLimits(caller, setBy, { what: setting });
}

async function bindingsOfConfigs(
  manager: EntityManager,
  workspaceId: string,
  ids: readonly string[],
): Promise<Binding[]> {
  const bindings = await bindingsOfWorkspace(manager, workspaceId, ({ user_api_key_config: config }) =>
    config !== undefined && ids.includes(config) ? ['user_api_key_config'] : [],
  );
  for (const defaultConfigId of ids) {
    const status = Not('archived' as const);
    const where = { workspaceId, defaultConfigId, status, allowConfigOverride: false };
    const setBy = (await manager.maximum(ApiKeyEntity, 'limitsRank', where)) ?? 0;
    bindings.push({ setting: 'defaults.config_id', setBy });
  }
  return bindings;
}

async function bindingsOfWorkspace(
  manager: EntityManager,
  id: string,
  naming: (defaults: WorkspaceDefaults) => readonly (keyof WorkspaceDefaults)[],
): Promise<Binding[]> {
  const { defaults, setBy } = await manager.findOneByOrFail(WorkspaceEntity, { id });
  return naming(defaults).map((name) => ({
    setting: `defaults.${name}`,
    setBy: setBy[`defaults.${name}`] ?? 0,
  }));
}
