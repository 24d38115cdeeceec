import type { WorkspaceDefaults, WorkspaceEntity } from '@gw/entities';
import { holdLimits, ranksAfter, type Restrictions } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';

/** Limits and restricting settings of a workspace at one moment. */
export interface WorkspaceRestrictions {
  readonly limits: readonly unknown[];
  readonly settings: Restrictions;
}

const named = (prefix: string, values: object): [string, unknown][] =>
  Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]);

/** Wraps each value in a list, so that every value counts as a restriction, even 0. */
const inLists = (values: object): Record<string, unknown[]> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));

const closed = (values: object): Record<string, boolean> =>
  Object.fromEntries(Object.entries(values).map(([name, isOpen]) => [name, isOpen === false]));

export const restrictionsOf = (row: WorkspaceEntity): WorkspaceRestrictions => ({
  limits: [row.usageLimits?.map((limit) => ({ ...limit, status: null })) ?? null, row.rateLimits],
  settings: Object.fromEntries([
    ...named('defaults', row.defaults),
    ...named('data_plane_security_settings', row.dataPlaneSecuritySettings),
    ...named('security_settings', closed(row.securitySettings)),
    ...named('settings', inLists(row.settings)),
    ...named('export_settings', row.exportSettings),
  ]),
});

/**
 * Checks a change of the row that is not saved yet, and stores the caller's rank with the changed
 * restrictions. `before` contains the restrictions before the change. Throws `forbidden` when the
 * caller has changed a restriction that a higher role set.
 */
export function holdRestrictions(
  caller: Principal,
  row: WorkspaceEntity,
  before: WorkspaceRestrictions,
  isReset: boolean,
): void {
  const after = restrictionsOf(row);
  holdLimits(caller, row, { before: before.limits, after: after.limits, isReset });
  const removed = Object.keys(before.settings).map((name) => [name, null] as const);
  const settings = { ...Object.fromEntries(removed), ...after.settings };
  const ranks = ranksAfter(caller, row.setBy, { before: before.settings, after: settings });
  row.setBy = withoutZeros(ranks);
}

/** Returns the ranks to store with the defaults of a new workspace. */
export const setByOf = (caller: Principal, defaults: WorkspaceDefaults): Record<string, number> =>
  withoutZeros(
    ranksAfter(caller, {}, { before: {}, after: Object.fromEntries(named('defaults', defaults)) }),
  );

const withoutZeros = (ranks: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(ranks).filter(([, rank]) => rank > 0));
