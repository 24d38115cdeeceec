import type { IssuedCredentials } from '@gw/cloud-identities';
import { isOfInstallation, type CloudIdentity, type IssuedCredential } from '@gw/contracts';
import { GatewayError, isTrustedHost, VendorError } from '@gw/kernel';
import { identityOf, type Credential } from '@gw/providers';
import { customHostOf } from '../attempt/saved-model';
import type { GatewayPrincipal } from '../auth/principals';
import type { RequestView } from '../core/request-context';
import type { Upstream } from '../core/upstream';

interface Completed {
  readonly issued: IssuedCredential;
  readonly credential: Credential;
}

export interface CloudCredentialOptions {
  /** Whether integrations may use the identities of the installation. */
  readonly allowsOwn: boolean;
  /**
   * Result of `parseTrustedHosts`: further addresses to which such credentials may be sent, such as
   * private endpoints of providers.
   */
  readonly trustedHosts: readonly string[];
}

/**
 * Completes credentials that a token service issues: those of clouds, and those of the client
 * credentials grant.
 */
export class CloudCredentials {
  private readonly identities = new WeakMap<Credential, CloudIdentity | null>();
  private readonly completed = new WeakMap<Credential, Completed>();
  /** Maps a completed credential to the incomplete one that it was made from. */
  private readonly origins = new WeakMap<Credential, Credential>();

  constructor(
    private readonly issued: IssuedCredentials,
    private readonly options: CloudCredentialOptions,
  ) {}

  /**
   * Returns a promise only when the request has to wait for a token service. Throws
   * `validation_failed` for fields that are missing, and `provider_credential_failed`.
   */
  complete(context: RequestView, upstream: Upstream): Upstream | Promise<Upstream> {
    const identity = this.identity(upstream);
    if (identity === null) return upstream;
    const mayUseOwn = this.checkedUse(context, upstream, identity);
    const { workspace } = context.principal as GatewayPrincipal;
    try {
      const issued = this.issued.of(identity, { workspaceId: workspace.id, mayUseOwn });
      if (!(issued instanceof Promise)) return this.with(upstream, issued);
      return issued.then(
        (late) => this.with(upstream, late),
        (thrown: unknown) => {
          throw failed(upstream, identity, thrown);
        },
      );
    } catch (thrown) {
      throw failed(upstream, identity, thrown);
    }
  }

  /**
   * Replaces an issued credential that the provider has refused. Null when the provider must have
   * another reason, because the credential was replaced a moment ago.
   */
  renew(context: RequestView, upstream: Upstream): Upstream | Promise<Upstream> | null {
    const credential = this.origins.get(upstream.credential) ?? upstream.credential;
    const original = { ...upstream, credential };
    const identity = this.identity(original);
    if (identity === null) return null;
    const { workspace } = context.principal as GatewayPrincipal;
    const mayUseOwn = this.checkedUse(context, original, identity);
    const isDropped = this.issued.drop(identity, { workspaceId: workspace.id, mayUseOwn });
    return isDropped ? this.complete(context, original) : null;
  }

  private identity({ provider, credential }: Upstream): CloudIdentity | null {
    // Most providers have only keys. This check avoids a look-up for their credentials, which are
    // new objects in each request if the request contains them.
    if (provider.identity === undefined && credential.configurations['auth_type'] === undefined) return null;
    const known = this.identities.get(credential);
    if (known !== undefined) return known;
    const identity = identityOf(provider, credential);
    this.identities.set(credential, identity);
    return identity;
  }

  /**
   * Returns whether the installation's identity may be used. Throws when the identity needs it and
   * it may not.
   */
  private checkedUse(context: RequestView, upstream: Upstream, identity: CloudIdentity): boolean {
    const { saved } = upstream;
    const { allowsOwn, trustedHosts } = this.options;
    const host = customHostOf(context.gw, upstream);
    const isElsewhere =
      host !== null && !(URL.canParse(host) && isTrustedHost(trustedHosts, new URL(host).hostname));
    const isOwn = isOfInstallation(identity);
    // A token of the installation, or of a secret in a config, is never sent to a host that another
    // person chose.
    if (isElsewhere && (saved === null || isOwn)) throw refused(upstream, ELSEWHERE);
    const mayUseOwn = allowsOwn && saved !== null && !isElsewhere;
    if (isOwn && !mayUseOwn) throw refused(upstream, saved === null ? UNSAVED : NOT_ALLOWED);
    return mayUseOwn;
  }

  private with(upstream: Upstream, issued: IssuedCredential): Upstream {
    const { credential } = upstream;
    let known = this.completed.get(credential);
    if (known?.issued !== issued) {
      known = { issued, credential: { ...credential, issued } };
      this.completed.set(credential, known);
      this.origins.set(known.credential, credential);
    }
    return { ...upstream, credential: known.credential };
  }
}

const ELSEWHERE =
  'The credential is only sent to the address of the provider itself, or to a host of TRUSTED_CUSTOM_HOSTS.';
const UNSAVED =
  'Only saved providers can use the identity of the installation; send a credential of your own.';
const NOT_ALLOWED =
  'Integrations may not use the identity of the installation; the operator allows it with ALLOW_AMBIENT_CLOUD_CREDENTIALS.';

const refused = (upstream: Upstream, reason: string): GatewayError =>
  new GatewayError('provider_credential_failed', { extra: extraOf(upstream), detail: { reason } });

const failed = (upstream: Upstream, { kind }: CloudIdentity, thrown: unknown): GatewayError =>
  thrown instanceof GatewayError
    ? thrown
    : new GatewayError('provider_credential_failed', {
        extra: { ...extraOf(upstream), source: kind },
        detail: {
          reason: thrown instanceof VendorError ? thrown.message : 'The credential could not be issued.',
        },
        cause: thrown,
      });

const extraOf = ({ saved, provider }: Upstream) => ({
  provider: saved === null ? provider.id : `@${saved.slug}`,
});
