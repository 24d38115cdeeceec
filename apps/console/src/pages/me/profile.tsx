import type { ReactElement } from 'react';
import { Link } from '@tanstack/react-router';
import { useSelf } from '../../app';
import { me } from '../../messages';
import { KeyValues } from '../../ui/primitives';
import { Pane } from '../../ui/states';
import { MeFrame } from './frame';
import { PasswordForm } from './password-form';

/**
 * Profile of the signed-in user: name, e-mail address, organisation and workspaces with the user's
 * roles, and a form to change the password.
 */
export function ProfilePage(): ReactElement {
  const { email, first_name, last_name, organisation, workspaces } = useSelf();
  const name = [first_name, last_name].join(' ').trim();
  const roleLabel = (role: string): string => me.roles[role] ?? role;
  return (
    <MeFrame section="profile">
      <div className="me-columns">
        <Pane title={me.title} footer={me.namedBy}>
          <KeyValues
            items={[
              [me.name, name === '' ? '–' : name],
              [
                me.email,
                <span key="email" className="private">
                  {email}
                </span>,
              ],
              [me.organisation, `${organisation.name}, ${roleLabel(organisation.role)}`],
            ]}
          />
        </Pane>
        <Pane title={me.workspaces}>
          {workspaces.length === 0 ? (
            <p className="sub">{me.noWorkspaces}</p>
          ) : (
            <KeyValues
              items={workspaces.map(({ id, slug, name: title, role }) => [
                title,
                <span key={id} className="row">
                  {roleLabel(role)}
                  <Link to="/w/$ws" params={{ ws: slug }} className="right">
                    {slug}
                  </Link>
                </span>,
              ])}
            />
          )}
        </Pane>
        <PasswordForm />
      </div>
    </MeFrame>
  );
}
