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
/** How long a used plan is remembered, in seconds; longer than a plan is valid. */
const REMEMBERED_SECONDS = 600;

/** Owner of a plan. Its token is valid only for the same caller, tool and arguments. */
export interface PlanOwner {
  readonly caller: RestCaller;
  readonly tool: string;
  /** Arguments without the token. */
  readonly arguments: JsonObject;
}

/** Contents of a plan's token. */
export interface Plan {
  /** Version of the row for which the plan was made; null when the change has none. */
  readonly ifMatch: string | null;
  /** Expiry in Unix milliseconds. */
  readonly expiresAt: number;
}

type Sealed = Plan & { readonly nonce: string };

/**
 * Issues and accepts tokens that carry out a planned change once, within five minutes, in every
 * process of the installation.
 */
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

  /**
   * Uses up a plan. Returns null when the token belongs to another owner, has expired, was used, or
   * is not a token.
   */
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
