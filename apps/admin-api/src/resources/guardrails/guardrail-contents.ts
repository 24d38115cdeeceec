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
import { openedOr } from '../../platform/credentials/unreadable-secrets';
import { assertWholeSecrets, maskedChecks } from './guardrail-secrets';
import { assertModelTargets } from './model-targets';
import type { StoredContent } from '../../platform/rows/guardrail-rows';

type Owner = Pick<GuardrailEntity, 'id' | 'organisationId' | 'workspaceId' | 'slug' | 'target'>;
export interface WrittenContent {
  readonly checks: readonly SavedGuardrailCheck[];
  readonly actions: Readonly<Record<string, unknown>>;
}

/** The only class of the control plane that handles the secrets of checks unencrypted. */
@Injectable()
export class GuardrailContents {
  constructor(
    private readonly credentials: GuardrailCredentials,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  /**
   * Returns the content as it is stored, with sealed secrets. Throws `validation_failed` with all
   * faults.
   */
  async stored(manager: EntityManager, owner: Owner, content: WrittenContent): Promise<StoredContent> {
    const { organisationId } = owner;
    const completed = await this.credentials.withAccountParameters(manager, organisationId, content.checks);
    this.compiled(owner, null, { ...content, checks: completed }, READ_LATER);
    await assertModelTargets(manager, owner, content.checks);
    const named = await withReferencesById(manager, owner, content.checks);
    const { checks, secrets } = splitSecrets(named);
    assertWholeSecrets(secrets);
    const isEmpty = Object.keys(secrets).length === 0;
    return {
      checks,
      actions: content.actions,
      sealedSecrets: isEmpty ? null : this.credentials.seal(owner, secrets),
    };
  }

  /**
   * Compiles the content. Throws `validation_failed`; saved content fails only if the rules have
   * become stricter since.
   */
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

  /** Returns the stored content with the secrets of its checks. */
  opened(owner: Owner, { checks, actions, sealedSecrets }: StoredContent): WrittenContent {
    return { checks: joinSecrets(checks, this.credentials.open(owner, sealedSecrets)), actions };
  }

  /**
   * Returns the stored content as `opened` does, or without secrets when they cannot be opened, so
   * that the guardrail can still be shown, given new checks and deleted.
   */
  readable(owner: Owner, content: StoredContent): WrittenContent {
    const { checks, actions } = content;
    return openedOr(
      () => this.opened(owner, content),
      () => ({ checks, actions }),
    );
  }

  /**
   * Returns the content with which the guardrail runs: with its secrets and the credentials of the
   * organisation's accounts.
   */
  async running(manager: EntityManager, owner: Owner, content: StoredContent): Promise<WrittenContent> {
    const opened = this.opened(owner, content);
    return {
      ...opened,
      checks: await this.credentials.withAccountParameters(manager, owner.organisationId, opened.checks),
    };
  }

  /** Returns the checks as responses show them, with masked secrets. */
  shown(owner: Owner, content: StoredContent): readonly SavedGuardrailCheck[] {
    return maskedChecks(this.readable(owner, content).checks);
  }
}

/**
 * Secret source for compiling content that is to be saved, where secrets in secret managers are not
 * read.
 */
const READ_LATER: SecretSource = () => '';
