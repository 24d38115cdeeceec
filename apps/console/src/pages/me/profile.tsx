import type { ReactElement } from 'react';
import { Link } from '@tanstack/react-router';
import { useSelf } from '../../app';
import { me } from '../../messages';
import { KeyValues } from '../../ui/primitives';
import { Pane } from '../../ui/states';
import { MeFrame } from './frame';
import { PasswordForm } from './password-form';

/** The signed-in user: name, organisation, workspaces, password. */
export function ProfilePage(): ReactElement {
  const { email, first_name, last_name, organisation, workspaces } = useSelf();
  const name = [first_name, last_name].join(' ').trim();
  const role = (of: string): string => me.roles[of] ?? of;
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
              [me.organisation, `${organisation.name}, ${role(organisation.role)}`],
            ]}
          />
        </Pane>
        <Pane title={me.workspaces}>
          {workspaces.length === 0 ? (
            <p className="sub">{me.noWorkspaces}</p>
          ) : (
            <KeyValues
              items={workspaces.map(({ id, slug, name: title, role: own }) => [
                title,
                <span key={id} className="row">
                  {role(own)}
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
