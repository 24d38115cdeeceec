import { uuidv7 } from '@gw/kernel';
import { queryDatabase, type Product } from '@gw/testing';

export interface AnotherOrganisation {
  readonly id: string;
  readonly workspaceId: string;
}

/**
 * Creates a second organisation of the product's owner, whose workspace has the same slug as the
 * first one's. Uses SQL, because no route creates organisations.
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

/**
 * Makes a user a member of an organisation and its workspace. The user's password becomes valid in
 * all of their organisations.
 */
export async function joinOrganisation(
  product: Product,
  { id, workspaceId }: AnotherOrganisation,
  email: string,
): Promise<void> {
  const run = (sql: string, values: readonly unknown[]) => queryDatabase({ product }, sql, values);
  await run(
    `UPDATE users SET password_hash = organisation_users.password_hash
     FROM organisation_users WHERE user_id = users.id AND email = $1 AND organisation_users.password_hash IS NOT NULL`,
    [email],
  );
  await run(
    'UPDATE organisation_users SET password_hash = NULL WHERE user_id = (SELECT id FROM users WHERE email = $1)',
    [email],
  );
  await run(
    `INSERT INTO organisation_users (organisation_id, user_id, role)
     SELECT $1, id, 'member' FROM users WHERE email = $2`,
    [id, email],
  );
  await run(
    `INSERT INTO workspace_users (workspace_id, user_id, role)
     SELECT $1, id, 'member' FROM users WHERE email = $2`,
    [workspaceId, email],
  );
}
