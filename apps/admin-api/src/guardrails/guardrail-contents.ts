import { guardrailBinding, type GuardrailSecrets, type SavedGuardrailCheck } from '@gw/contracts';
import type { GuardrailEntity, GuardrailVersionEntity } from '@gw/entities';
import {
  compileGuardrail,
  guardrailInvalid,
  joinSecrets,
  splitSecrets,
  type CompiledGuardrail,
} from '@gw/guardrails';
import { seal, unseal, type AddressPolicy } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { ADDRESS_POLICY } from '../credentials/integration-credentials';
import { Secrets } from '../settings';
import { maskedChecks } from './guardrail-secrets';

type Owner = Pick<GuardrailEntity, 'id' | 'organisationId' | 'slug' | 'target'>;
export type StoredContent = Pick<GuardrailVersionEntity, 'checks' | 'actions' | 'sealedSecrets'>;

export interface WrittenContent {
  readonly checks: readonly SavedGuardrailCheck[];
  readonly actions: Readonly<Record<string, unknown>>;
}

/** The only place of the control plane that sees the secrets of checks in the clear. */
@Injectable()
export class GuardrailContents {
  constructor(
    private readonly secrets: Secrets,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  /** Throws `validation_failed` with everything that is wrong. */
  stored(owner: Owner, content: WrittenContent): StoredContent {
    this.compiled(owner, null, content);
    const { checks, secrets } = splitSecrets(content.checks);
    const isEmpty = Object.keys(secrets).length === 0;
    return {
      checks,
      actions: content.actions,
      sealedSecrets: isEmpty
        ? null
        : seal(this.secrets.sealingKeyring, JSON.stringify(secrets), bindingOf(owner)),
    };
  }

  /** Throws `validation_failed`, of a saved one only where rules have become stricter since. */
  compiled(owner: Owner, versionId: string | null, content: WrittenContent): CompiledGuardrail {
    const { checks, actions } = content;
    const result = compileGuardrail(
      { checks, actions },
      {
        id: owner.slug,
        versionId,
        target: owner.target,
        checkHost: (url) => {
          const verdict = this.addresses.checkUrl(url);
          return verdict.ok ? null : verdict.rule;
        },
      },
    );
    if (!result.ok) throw guardrailInvalid(result.details, result.details[0]?.path ?? 'checks');
    return result.guardrail;
  }

  /** With the secrets of its checks. */
  opened(owner: Owner, { checks, actions, sealedSecrets }: StoredContent): WrittenContent {
    if (sealedSecrets === null) return { checks, actions };
    const plain = unseal(this.secrets.sealingKeyring, sealedSecrets, bindingOf(owner)).toString('utf8');
    return { checks: joinSecrets(checks, JSON.parse(plain) as GuardrailSecrets), actions };
  }

  /** As a read shows them. */
  shown(owner: Owner, content: StoredContent): readonly SavedGuardrailCheck[] {
    return maskedChecks(this.opened(owner, content).checks);
  }
}

const bindingOf = ({ organisationId, id }: Owner): string => guardrailBinding(organisationId, id);
