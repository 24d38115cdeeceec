import { useOnce } from '@gw/entities';
import { canonicalJson, digestOf, MINUTE_MS, randomHex, seal, unseal } from '@gw/kernel';
import type { JsonObject } from '@gw/mcp';
import { artifactHash } from '@gw/oauth';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { credentialIdOf } from '../../platform/auth/identity';
import { Secrets } from '../../settings';
import type { RestCaller } from './rest-api';

const PREFIX = 'gwplan1.';
const LENGTH_MAX = 1_024;
const LIFETIME_MS = 5 * MINUTE_MS;
/** Longer than a plan is valid. */
const REMEMBERED_SECONDS = 600;

/** Owner of a plan. No other caller, tool or argument can use its token. */
export interface PlanOwner {
  readonly caller: RestCaller;
  readonly tool: string;
  /** Without the token. */
  readonly arguments: JsonObject;
}

/** Contents of a plan's token. */
export interface Plan {
  /** Version of the row that the plan was made for; null when the change has none. */
  readonly ifMatch: string | null;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

type Sealed = Plan & { readonly nonce: string };

/** Tokens that carry out a planned change once, within five minutes, at every process of the installation. */
@Injectable()
export class Plans {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
  ) {}

  seal(owner: PlanOwner, ifMatch: string | null, now: number): Plan & { readonly token: string } {
    const plan: Sealed = { ifMatch, expiresAt: now + LIFETIME_MS, nonce: randomHex(32) };
    const token = PREFIX + seal(this.secrets.sealingKeyring, JSON.stringify(plan), bindingOf(owner));
    return { ifMatch, expiresAt: plan.expiresAt, token };
  }

  /** Takes a plan, which no second call can take. Null: it is another owner's, expired, used, or no token. */
  async take(owner: PlanOwner, token: string, now: number): Promise<Plan | null> {
    const plan = this.open(owner, token);
    if (plan === null || now >= plan.expiresAt) return null;
    const idHash = artifactHash(this.secrets.oauthPepper, 'Plan', plan.nonce);
    return (await useOnce(this.dataSource.manager, { idHash, seconds: REMEMBERED_SECONDS })) ? plan : null;
  }

  private open(owner: PlanOwner, token: string): Sealed | null {
    if (token.length > LENGTH_MAX || !token.startsWith(PREFIX)) return null;
    try {
      const text = unseal(this.secrets.sealingKeyring, token.slice(PREFIX.length), bindingOf(owner));
      return JSON.parse(text.toString('utf8')) as Sealed;
    } catch {
      return null;
    }
  }
}

const bindingOf = ({ caller, tool, arguments: args }: PlanOwner): string =>
  digestOf('mcp-admin/plan', [
    caller.principal.organisationId,
    caller.identity.kind,
    credentialIdOf(caller.identity),
    tool,
    canonicalJson(args),
  ]);
