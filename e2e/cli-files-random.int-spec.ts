import fc from 'fast-check';
import type { Tenant } from '../apps/admin-api/src/spec-support/admin-api';
import type { Item, Kind } from '../apps/cli/src/kind';
import { KINDS } from '../apps/cli/src/kinds';
import { exportState, type State } from '../apps/cli/src/reconcile';
import { CliTenants } from './spec-support/cli-tenants';
import { fullFileOf } from './spec-support/cli-states';
import { insertVerifiedDomain, keySet } from './spec-support/cli-sso-states';
import { insertTools, withTools } from './spec-support/mcp-tools';

const KEYS = keySet('one');
const ENVIRONMENT = new Proxy(
  {},
  { get: (_target, name) => (String(name).endsWith('_JWKS') ? KEYS : 'secret-0123456789') },
);
/** Maps with names that users choose, and content for them that has the form of a secret. */
const MAPS = ['metadata', 'tags'];
const LIKE_SECRET = { env: 'production' };
/** Its members allow what the items of other kinds contain, so it keeps all of them. */
const COMPLETE = 'organisation_settings';

/** An MCP server cannot become an HTTP service, nor the other way round. */
const KEPT = ['openapi'];

/** One item of the file in several forms. */
interface Forms {
  readonly kind: Kind;
  readonly full: Item;
  /** With the members that the control plane requires. */
  readonly small: Item;
  /** With some of the other members. */
  readonly random: Item;
}

const choices = fc.array(fc.nat(2), { minLength: 40, maxLength: 40 });

/** Adds about two thirds of the missing members, some of them with content like a secret. */
const randomForm = (full: Item, small: Item): Item => {
  const [numbers = []] = fc.sample(choices, 1);
  const added = Object.entries(full).flatMap(([name, value], index): [string, unknown][] => {
    if (numbers[index] === 0) return [];
    return [[name, numbers[index] === 1 && MAPS.includes(name) ? LIKE_SECRET : value]];
  });
  return { ...Object.fromEntries(added), ...small };
};

describe('files of tollgate with random members', () => {
  const tenants = new CliTenants(ENVIRONMENT, { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  const { admin } = tenants;

  /** Applies one item. Returns the refusal; null: it was applied. */
  const refusalOf = (tenant: Tenant, { name }: Kind, item: Item): Promise<string | null> =>
    tenants.apply(tenant, { [name]: [item] }).then(
      () => null,
      (error: unknown) => {
        expect(String(error)).not.toMatch(/Cannot read|is not a function|is not iterable/);
        return String(error);
      },
    );

  /**
   * Creates an item, with the members again without which the control plane refuses it. Returns
   * null when it is refused with all members: it needs what smaller items leave out.
   */
  async function create(tenant: Tenant, kind: Kind, full: Item, small: Item): Promise<Item | null> {
    const refusal = await refusalOf(tenant, kind, small);
    if (refusal === null) return small;
    const absent = Object.entries(full).filter(([name]) => small[name] === undefined);
    if (absent.length === 0) return null;
    const named = absent.filter(([name]) => new RegExp(`\\b${name}\\b`).test(refusal));
    const added = Object.fromEntries(named.length > 0 ? named : absent);
    return create(tenant, kind, full, { ...small, ...added });
  }

  /** Creates every item of the file with few members. */
  async function createAll(tenant: Tenant, file: State): Promise<Forms[]> {
    const made: Forms[] = [];
    for (const kind of KINDS) {
      const { identity, fixed = [] } = kind;
      for (const full of file[kind.name] ?? []) {
        const kept = Object.entries(full).filter(([name]) => [...identity, ...fixed, ...KEPT].includes(name));
        const first = kind.name === COMPLETE ? full : Object.fromEntries(kept);
        const small = await create(tenant, kind, full, first);
        if (small !== null) made.push({ kind, full, small, random: randomForm(full, small) });
      }
    }
    return made;
  }

  /** Applies the random form of each item, or where that is refused the complete item. */
  async function changeAll(tenant: Tenant, forms: readonly Forms[]): Promise<State> {
    const state: Record<string, Item[]> = {};
    for (const { kind, full, random } of forms) {
      const isRefused = (await refusalOf(tenant, kind, random)) !== null;
      if (isRefused) expect([kind.name, await refusalOf(tenant, kind, full)]).toEqual([kind.name, null]);
      (state[kind.name] ??= []).push(isRefused ? full : random);
    }
    return state;
  }

  const smallState = (forms: readonly Forms[]): State => {
    const state: Record<string, Item[]> = {};
    for (const { kind, small } of forms) (state[kind.name] ??= []).push(small);
    return state;
  };

  /** Returns the differences of the file, and those of an export. */
  const differences = async (tenant: Tenant, state: State): Promise<unknown> => [
    await tenants.apply(tenant, state, { dryRun: true }),
    await tenants.apply(tenant, await exportState(tenants.clientOf(tenant)), { dryRun: true, prune: true }),
  ];

  it('show no difference after they created and changed items of every kind, nor do exports', async () => {
    const tenant = await admin.tenant();
    const tools = await insertTools(admin, tenant);
    await insertVerifiedDomain(admin, tenant.organisationId);
    const forms = await createAll(tenant, withTools(fullFileOf(tenant.organisationId), tools));
    expect(new Set(forms.map(({ kind }) => kind)).size).toBeGreaterThan(KINDS.length * 0.8);
    const small = smallState(forms);
    expect(await differences(tenant, small)).toEqual([[], []]);
    const random = await changeAll(tenant, forms);
    expect(await differences(tenant, random)).toEqual([[], []]);
    await tenants.apply(tenant, small);
    expect(await differences(tenant, small)).toEqual([[], []]);
  }, 600_000);
});
