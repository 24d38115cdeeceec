import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds SCIM users, groups and their mappings to workspaces, SCIM tokens, and the domains of organisations. */
export class Scim1795710000000 implements MigrationInterface {
  readonly name = 'Scim1795710000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE workspace_users ADD COLUMN source varchar(8) NOT NULL DEFAULT 'manual'`);
    await runner.query(
      `CREATE TABLE organisation_domains (
         id uuid CONSTRAINT organisation_domains_pk PRIMARY KEY,
         organisation_id uuid NOT NULL CONSTRAINT organisation_domains_organisation_fk REFERENCES organisations (id),
         domain varchar(253) NOT NULL,
         allow_subdomains boolean NOT NULL DEFAULT false,
         token varchar(64) NOT NULL,
         verified_at timestamptz(3),
         checked_at timestamptz(3),
         failures integer NOT NULL DEFAULT 0,
         ${ROW}
       )`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX organisation_domains_own_uq ON organisation_domains (organisation_id, domain)`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX organisation_domains_verified_uq ON organisation_domains (domain) WHERE verified_at IS NOT NULL`,
    );
    await runner.query(
      `CREATE TABLE scim_tokens (
         token_hash char(64) CONSTRAINT scim_tokens_pk PRIMARY KEY,
         organisation_id uuid NOT NULL CONSTRAINT scim_tokens_organisation_fk REFERENCES organisations (id),
         masked varchar(32) NOT NULL,
         expires_at timestamptz(3),
         last_used_at timestamptz(3),
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
    );
    await runner.query(`CREATE INDEX scim_tokens_organisation_ix ON scim_tokens (organisation_id)`);
    await runner.query(
      `CREATE TABLE scim_users (
         organisation_id uuid NOT NULL,
         user_id uuid NOT NULL,
         external_id varchar(255),
         user_name varchar(320) NOT NULL,
         user_name_key varchar(320) NOT NULL,
         active boolean NOT NULL,
         attributes jsonb NOT NULL DEFAULT '{}',
         pending boolean NOT NULL DEFAULT false,
         ${ROW},
         CONSTRAINT scim_users_pk PRIMARY KEY (organisation_id, user_id),
         CONSTRAINT scim_users_member_fk FOREIGN KEY (organisation_id, user_id)
           REFERENCES organisation_users (organisation_id, user_id)
       )`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX scim_users_name_uq ON scim_users (organisation_id, user_name_key)`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX scim_users_external_uq ON scim_users (organisation_id, external_id) WHERE external_id IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX scim_users_created_at_ix ON scim_users (organisation_id, created_at, user_id)`,
    );
    await runner.query(
      `CREATE INDEX scim_users_pending_ix ON scim_users (organisation_id, user_id) WHERE pending`,
    );
    await runner.query(
      `CREATE TABLE scim_groups (
         id uuid CONSTRAINT scim_groups_pk PRIMARY KEY,
         organisation_id uuid NOT NULL CONSTRAINT scim_groups_organisation_fk REFERENCES organisations (id),
         external_id varchar(255),
         display_name varchar(255) NOT NULL,
         display_name_key varchar(255) NOT NULL,
         ${ROW}
       )`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX scim_groups_name_uq ON scim_groups (organisation_id, display_name_key)`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX scim_groups_external_uq ON scim_groups (organisation_id, external_id) WHERE external_id IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX scim_groups_created_at_ix ON scim_groups (organisation_id, created_at, id)`,
    );
    await runner.query(
      `CREATE TABLE scim_group_members (
         group_id uuid NOT NULL CONSTRAINT scim_group_members_group_fk REFERENCES scim_groups (id) ON DELETE CASCADE,
         user_id uuid NOT NULL CONSTRAINT scim_group_members_user_fk REFERENCES users (id),
         created_at timestamptz(3) NOT NULL DEFAULT now(),
         CONSTRAINT scim_group_members_pk PRIMARY KEY (group_id, user_id)
       )`,
    );
    await runner.query(`CREATE INDEX scim_group_members_user_id_ix ON scim_group_members (user_id)`);
    await runner.query(
      `CREATE TABLE scim_workspace_mappings (
         id uuid CONSTRAINT scim_workspace_mappings_pk PRIMARY KEY,
         organisation_id uuid NOT NULL CONSTRAINT scim_workspace_mappings_organisation_fk REFERENCES organisations (id),
         group_id uuid NOT NULL CONSTRAINT scim_workspace_mappings_group_fk REFERENCES scim_groups (id) ON DELETE CASCADE,
         workspace_id uuid NOT NULL CONSTRAINT scim_workspace_mappings_workspace_fk REFERENCES workspaces (id),
         role varchar(16) NOT NULL,
         origin varchar(8) NOT NULL DEFAULT 'manual',
         ${ROW}
       )`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX scim_workspace_mappings_pair_uq ON scim_workspace_mappings (group_id, workspace_id)`,
    );
    await runner.query(
      `CREATE INDEX scim_workspace_mappings_workspace_id_ix ON scim_workspace_mappings (workspace_id)`,
    );
    await runner.query(
      `CREATE INDEX scim_workspace_mappings_created_at_ix ON scim_workspace_mappings (organisation_id, created_at, id)`,
    );
    await runner.query(
      `CREATE TABLE scim_exchanges (
         id uuid CONSTRAINT scim_exchanges_pk PRIMARY KEY,
         organisation_id uuid NOT NULL CONSTRAINT scim_exchanges_organisation_fk REFERENCES organisations (id),
         dialect varchar(16) NOT NULL,
         method varchar(8) NOT NULL,
         path varchar(255) NOT NULL,
         status smallint NOT NULL,
         scim_type varchar(32),
         detail varchar(1024),
         request_id varchar(64) NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
    );
    await runner.query(`CREATE INDEX scim_exchanges_organisation_ix ON scim_exchanges (organisation_id, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'scim_exchanges',
      'scim_workspace_mappings',
      'scim_group_members',
      'scim_groups',
      'scim_users',
      'scim_tokens',
      'organisation_domains',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
    await runner.query(`ALTER TABLE workspace_users DROP COLUMN source`);
  }
}

const ROW = `version integer NOT NULL DEFAULT 1,
         created_at timestamptz(3) NOT NULL DEFAULT now(),
         last_updated_at timestamptz(3) NOT NULL DEFAULT now()`;
