import type { SavedGuardrailCheck } from '@gw/contracts';
import type { GuardrailEntity } from '@gw/entities';
import {
  compileGuardrail,
  guardrailInvalid,
  joinSecrets,
  splitSecrets,
  type CompiledGuardrail,
  type SecretSource,
} from '@gw/guardrails';
import type { AddressPolicy } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { GuardrailCredentials, withReferencesById } from '../../platform/credentials/guardrail-credentials';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import { maskedChecks } from './guardrail-secrets';
import { assertModelTargets } from './model-targets';
import type { StoredContent } from '../../platform/rows/guardrail-rows';

type Owner = Pick<GuardrailEntity, 'id' | 'organisationId' | 'workspaceId' | 'slug' | 'target'>;
export interface WrittenContent {
  readonly checks: readonly SavedGuardrailCheck[];
  readonly actions: Readonly<Record<string, unknown>>;
}

/** The only place of the control plane that sees the secrets of checks in the clear. */
@Injectable()
export class GuardrailContents {
  constructor(
    private readonly credentials: GuardrailCredentials,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  /** As it is stored. Throws `validation_failed` with everything that is wrong. */
  async stored(manager: EntityManager, owner: Owner, content: WrittenContent): Promise<StoredContent> {
    const { organisationId } = owner;
    const completed = await this.credentials.completed(manager, organisationId, content.checks);
    this.compiled(owner, null, { ...content, checks: completed }, READ_LATER);
    await assertModelTargets(manager, owner, content.checks);
    const named = await withReferencesById(manager, owner, content.checks);
    const { checks, secrets } = splitSecrets(named);
    const isEmpty = Object.keys(secrets).length === 0;
    return {
      checks,
      actions: content.actions,
      sealedSecrets: isEmpty ? null : this.credentials.seal(owner, secrets),
    };
  }

  /** Throws `validation_failed`, of a saved one only where rules have become stricter since. */
  compiled(
    owner: Owner,
    versionId: string | null,
    content: WrittenContent,
    secrets: SecretSource,
  ): CompiledGuardrail {
    const { checks, actions } = content;
    const result = compileGuardrail(
      { checks, actions },
      {
        id: owner.slug,
        versionId,
        target: owner.target,
        secrets,
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
    return { checks: joinSecrets(checks, this.credentials.open(owner, sealedSecrets)), actions };
  }

  /** As it runs: with its secrets, and with what the organisation's accounts say. */
  async running(manager: EntityManager, owner: Owner, content: StoredContent): Promise<WrittenContent> {
    const opened = this.opened(owner, content);
    return {
      ...opened,
      checks: await this.credentials.completed(manager, owner.organisationId, opened.checks),
    };
  }

  /** As a read shows them. */
  shown(owner: Owner, content: StoredContent): readonly SavedGuardrailCheck[] {
    return maskedChecks(this.opened(owner, content).checks);
  }
}

/** Nothing is read while a guardrail is saved. */
const READ_LATER: SecretSource = () => '';
