import { OrganisationDomainEntity } from '@gw/entities';
import { domainToASCII } from 'node:url';
import { In, IsNull, Not, type EntityManager } from 'typeorm';

/** Labels of the longest domain name. */
const LABELS_MAX = 127;

/** Returns the domain of an e-mail address in lower case and in its ASCII form; null for text that is no address. */
export function domainOf(email: string): string | null {
  const [, domain] = /^[^\s@]{1,64}@([^\s@]{1,253})$/.exec(email) ?? [];
  const ascii = domainToASCII(domain ?? '').toLowerCase();
  return ascii === '' ? null : ascii;
}

/** Whether a domain of an organisation speaks for addresses of `domain`, as `domainOf` gives it. */
export const covers = (
  { domain: own, allowSubdomains }: Pick<OrganisationDomainEntity, 'domain' | 'allowSubdomains'>,
  domain: string,
): boolean => domain === own || (allowSubdomains && domain.endsWith(`.${own}`));

/** The domain and those above it: `a.b.example` gives itself, `b.example` and `example`. */
function domainsAbove(domain: string): string[] {
  const labels = domain.split('.').slice(0, LABELS_MAX);
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** Whether the organisation has verified the domain of the address, or a domain above it that counts for subdomains. */
export async function hasVerifiedDomain(
  manager: EntityManager,
  organisationId: string,
  email: string,
): Promise<boolean> {
  const domain = domainOf(email);
  if (domain === null) return false;
  const rows = await manager.findBy(OrganisationDomainEntity, {
    organisationId,
    domain: In(domainsAbove(domain)),
    verifiedAt: Not(IsNull()),
  });
  return rows.some((row) => covers(row, domain));
}
