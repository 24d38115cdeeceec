import { lazily } from '../lazily';

const list = lazily(() => new Intl.ListFormat('en', { type: 'disjunction' }));

export const access = {
  lock: 'Why is this locked?',
  needs: (scopes: readonly string[]) => `This needs ${list().format(scopes)}.`,
  youAre: (role: string, place: string) => `You are ${role} of ${place}.`,
  closedBy: (settings: readonly string[]) => `The security setting ${list().format(settings)} is off.`,
  roles: (roles: readonly string[]) => `Roles that may: ${list().format(roles)}.`,
  roleNames: {
    owner: 'owners',
    admin: 'admins of the organisation',
    member: 'members',
    'workspace-admin': 'admins of the workspace',
    'workspace-manager': 'managers of the workspace',
    'workspace-member': 'members of the workspace',
  } as Readonly<Record<string, string>>,
};
