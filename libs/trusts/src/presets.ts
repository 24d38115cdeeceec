import type { ClaimCondition, TrustMap, TrustRule } from '@gw/contracts';

/** A known issuer of tokens for workloads. Source: the platforms' documentation, November 2026. */
export interface TrustPreset {
  readonly id: string;
  readonly name: string;
  /**
   * Matches issuers whose trusts need `pins`: issuers that customers of the platform share, and
   * those of Entra's tenants. Null for a platform without them.
   */
  readonly issuer: RegExp | null;
  /**
   * Lists of claims. A trust in a matching issuer needs conditions on all claims of one of the
   * lists.
   */
  readonly pins: readonly (readonly string[])[];
  readonly documentation: string;
}

const preset = (
  id: string,
  name: string,
  documentation: string,
  shared: Pick<TrustPreset, 'issuer' | 'pins'> = { issuer: null, pins: [] },
): TrustPreset => ({ id, name, documentation, ...shared });

const ENTRA = 'azure';

export const TRUST_PRESETS: readonly TrustPreset[] = [
  preset('github', 'GitHub Actions', 'https://docs.github.com/actions/concepts/security/openid-connect', {
    issuer: /^https:\/\/token\.actions\.githubusercontent\.com(?:\/|$)/,
    pins: [['/repository_id', '/repository_owner_id']],
  }),
  preset('gitlab', 'GitLab CI', 'https://docs.gitlab.com/ci/secrets/id_token_authentication/', {
    issuer: /^https:\/\/gitlab\.com\/?$/,
    pins: [['/project_id'], ['/namespace_id']],
  }),
  preset(
    'kubernetes',
    'Kubernetes service account',
    'https://kubernetes.io/docs/concepts/security/service-accounts/',
  ),
  preset(
    'aws',
    'AWS outbound federation',
    'https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_providers_outbound.html',
  ),
  preset('gcp', 'Google Cloud service account', 'https://cloud.google.com/docs/authentication/get-id-token', {
    issuer: /^https:\/\/accounts\.google\.com\/?$/,
    pins: [['/sub'], ['/email', '/email_verified']],
  }),
  preset(
    ENTRA,
    'Azure managed identity',
    'https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/',
    {
      issuer: /^https:\/\/(?:login\.microsoftonline\.(?:com|us)|sts\.windows\.net)\//,
      pins: [
        ['/tid', '/oid'],
        ['/tid', '/appid'],
        ['/tid', '/azp'],
      ],
    },
  ),
  preset('spiffe', 'SPIFFE', 'https://spiffe.io/docs/latest/spiffe-about/spiffe-concepts/'),
  preset(
    'terraform',
    'HCP Terraform',
    'https://developer.hashicorp.com/terraform/cloud-docs/workspaces/dynamic-provider-credentials',
    {
      issuer: /^https:\/\/app\.terraform\.io\/?$/,
      pins: [['/terraform_organization_id', '/terraform_workspace_id']],
    },
  ),
  preset('buildkite', 'Buildkite', 'https://buildkite.com/docs/pipelines/security/oidc', {
    issuer: /^https:\/\/agent\.buildkite\.com\/?$/,
    pins: [
      ['/organization_id', '/pipeline_slug'],
      ['/organization_slug', '/pipeline_slug'],
      ['/organization_id', '/pipeline_id'],
    ],
  }),
  preset('circleci', 'CircleCI', 'https://circleci.com/docs/openid-connect-tokens/'),
];

/** Matches Entra issuers that are valid for every tenant. */
const ANY_TENANT = /^https:\/\/(?:login|sts)\.[a-z.]+\/(?:common|organizations|consumers)(?:\/|$)/;

const presetSharing = (issuer: string): TrustPreset | undefined =>
  TRUST_PRESETS.find(({ issuer: pattern }) => pattern?.test(issuer) === true);

/** Whether all customers of a platform share the issuer. Entra's do not: each names one tenant. */
export function isSharedIssuer(issuer: string): boolean {
  const shared = presetSharing(issuer);
  return shared !== undefined && shared.id !== ENTRA;
}

/**
 * Whether a trust accepts only Entra tokens of workloads: without a condition on `scp`, it refuses
 * tokens that act for a user.
 */
export const needsNoUser = ({
  preset: id,
  issuer,
  conditions,
}: Pick<TrustRule, 'preset' | 'issuer' | 'conditions'>): boolean =>
  (id === ENTRA || presetSharing(issuer)?.id === ENTRA) && conditions.every(({ claim }) => claim !== '/scp');

/**
 * Returns why an issuer and its conditions are invalid; null when they are valid. Others can get
 * tokens from an issuer that a preset matches, so a trust in one needs conditions with `equals` or
 * `in` that identify the accepted workloads, in its own conditions or in those of each map.
 */
export function issuerFault(
  issuer: string,
  conditions: readonly ClaimCondition[],
  maps: readonly Partial<Pick<TrustMap, 'conditions'>>[] = [],
): { readonly field: 'issuer' | 'conditions'; readonly message: string } | null {
  const isUrl = /^https:\/\/[^\s?#@]+$/.test(issuer);
  if (!isUrl && !/^spiffe:\/\/[a-z0-9._-]{1,255}$/.test(issuer)) {
    return {
      field: 'issuer',
      message: 'issuer must be an https URL without a query, or a SPIFFE trust domain',
    };
  }
  if (ANY_TENANT.test(issuer)) return { field: 'issuer', message: 'issuer must name one tenant of Entra' };
  const shared = presetSharing(issuer);
  if (shared === undefined) return null;
  const pinnedBy = (maps.length === 0 ? [{}] : maps).map(
    ({ conditions: more = [] }: Partial<Pick<TrustMap, 'conditions'>>) =>
      new Set(
        [...conditions, ...more].flatMap(({ op, claim }) => (op === 'equals' || op === 'in' ? [claim] : [])),
      ),
  );
  const missing = shared.pins.map((claims) =>
    claims.filter((claim) => pinnedBy.some((pinned) => !pinned.has(claim))),
  );
  const [least = []] = [...missing].sort((one, other) => one.length - other.length);
  if (least.length === 0) return null;
  const needed = shared.pins.map((claims) => claims.join(' and ')).join(', or ');
  return {
    field: 'conditions',
    message: `${shared.name} signs tokens of others under this issuer; a condition on ${least.join(' and ')} is missing (needed, by equals or in: ${needed})`,
  };
}
