import { escapeHtml, hiddenField, page } from '../auth/account-pages';
import { errorOf, scopesText, workspaceChoice, type ConsentView } from './oauth-pages';

/**
 * Returns the page that asks for the code that a device shows. `form` is the value that binds the
 * form to the browser.
 */
export const codePage = (form: string, userCode: string, error: string | null): string =>
  page(
    'Connect a device',
    `<p>Type the code that your device shows.</p>
${errorOf(error)}
<form method="post">
${hiddenField('form', form)}
${hiddenField('step', 'code')}
<label for="user_code">Code</label>
<input id="user_code" name="user_code" value="${escapeHtml(userCode)}" autocomplete="off" autocapitalize="characters" spellcheck="false" required>
<button type="submit">Continue</button>
</form>`,
  );

/** Contents of the page on which a user decides the request of a device. */
export interface DeviceView extends Pick<
  ConsentView,
  'clientName' | 'resourceName' | 'scopes' | 'workspaces' | 'wholeOrganisation' | 'email' | 'csrf' | 'error'
> {
  readonly userCode: string;
  /** Address from which the device sent the request; null when it is unknown. */
  readonly deviceAddress: string | null;
}

/** Returns the page that asks the user whether to allow the request of a device. */
export const devicePage = (view: DeviceView, form: string): string =>
  page(
    `Connect ${view.clientName}?`,
    `<p>You are signed in as <strong>${escapeHtml(view.email)}</strong>.</p>
${errorOf(view.error)}
<p class="error">Does your own device show <strong>${escapeHtml(view.userCode)}</strong>? If a person sent you this code or this page, stop: they would act as you.</p>
${view.deviceAddress === null ? '' : `<p>The device asks from the address ${escapeHtml(view.deviceAddress)}.</p>`}
${scopesText(view)}
<form method="post">
${hiddenField('form', form)}
${hiddenField('user_code', view.userCode)}
${hiddenField('csrf', view.csrf)}
${workspaceChoice(view)}
<div class="late">
<button type="submit" name="step" value="approve">Connect</button>
<button type="submit" name="step" value="deny">Refuse</button>
</div>
</form>`,
  );

export const deviceEndPage = (approved: boolean): string =>
  page(
    approved ? 'Connected' : 'Refused',
    `<p>${approved ? 'Go back to your device: it is connected.' : 'Your device gets nothing.'} You may close this page.</p>`,
  );
