import { OrganisationDomainEntity } from '@gw/entities';
import { domainToASCII } from 'node:url';
import { In, IsNull, Not, type EntityManager } from 'typeorm';

/** Maximum number of labels of a domain name. */
const LABELS_MAX = 127;

/**
 * Returns a domain name in lower case and in its ASCII form; an empty text for another text. Does
 * not accept characters at which URL parsers, which convert the name, end a host.
 */
export const asciiDomain = (name: string): string =>
  /[/?#\\%:[\]]/.test(name) ? '' : domainToASCII(name).toLowerCase();

/**
 * Returns the domain of an email address in lower case and in its ASCII form; null for text that is
 * not an address.
 */
export function domainOf(email: string): string | null {
  const [, domain] = /^[^\s@]{1,64}@([^\s@]{1,253})$/.exec(email) ?? [];
  const ascii = asciiDomain(domain ?? '');
  return ascii === '' ? null : ascii;
}

/**
 * Whether addresses of `domain` belong to a domain of an organisation: it is that domain, or a
 * subdomain of it when the organisation has enabled `allowSubdomains`.
 */
export const domainMatches = (
  { domain: own, allowSubdomains }: Pick<OrganisationDomainEntity, 'domain' | 'allowSubdomains'>,
  domain: string,
): boolean => domain === own || (allowSubdomains && domain.endsWith(`.${own}`));

/** Returns the domain and its parent domains: for `a.b.example` also `b.example` and `example`. */
function domainAndParents(domain: string): string[] {
  const labels = domain.split('.').slice(0, LABELS_MAX);
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/**
 * Returns the organisations that have verified the domain of the address, or a parent domain with
 * `allowSubdomains`. `organisationId` limits the search to one organisation.
 */
export async function organisationsOfAddress(
  manager: EntityManager,
  email: string,
  organisationId?: string,
): Promise<readonly string[]> {
  const domain = domainOf(email);
  if (domain === null) return [];
  const rows = await manager.findBy(OrganisationDomainEntity, {
    ...(organisationId === undefined ? {} : { organisationId }),
    domain: In(domainAndParents(domain)),
    verifiedAt: Not(IsNull()),
  });
  return rows.filter((row) => domainMatches(row, domain)).map((row) => row.organisationId);
}

/** Whether the organisation has verified the domain of the address; see `organisationsOfAddress`. */
export const hasVerifiedDomain = async (
  manager: EntityManager,
  organisationId: string,
  email: string,
): Promise<boolean> => (await organisationsOfAddress(manager, email, organisationId)).length > 0;
