import { uuidv7 } from '@gw/kernel';
import { queryDatabase, type Product } from '@gw/testing';

export interface AnotherOrganisation {
  readonly id: string;
  readonly workspaceId: string;
}

/**
 * An organisation `name`, which the owner of the product owns too, with a workspace of the same slug as the first one's. No route makes
 * organisations.
 */
export async function addOrganisation(product: Product, name: string): Promise<AnotherOrganisation> {
  const [id, workspaceId] = [uuidv7(), uuidv7()];
  const { owner_email: email, workspace_slug: slug } = product.credentials;
  const run = (sql: string, values: readonly unknown[]) => queryDatabase({ product }, sql, values);
  await run('INSERT INTO organisations (id, name, slug) VALUES ($1, $2, $3)', [id, name, name.toLowerCase()]);
  await run(
    'INSERT INTO workspaces (id, organisation_id, slug, name, is_default) VALUES ($1, $2, $3, $4, true)',
    [workspaceId, id, slug, `${name} team`],
  );
  await run(
    `INSERT INTO organisation_users (organisation_id, user_id, role)
     SELECT $1, id, 'owner' FROM users WHERE email = $2`,
    [id, email],
  );
  return { id, workspaceId };
}
