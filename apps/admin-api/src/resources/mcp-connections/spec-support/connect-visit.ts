import { fieldOf, type Browser } from '../../../platform/oauth/spec-support/browser';
import type { GatewayResponse } from '../../../spec-support/admin-api';

/** The user who signs in on the page of a link. */
export interface Visitor {
  readonly email: string;
  readonly password: string;
}

const fieldsOf = ({ text }: GatewayResponse): Readonly<Record<string, string>> => ({
  ...{ form: fieldOf(text, 'form'), t: fieldOf(text, 't') },
});

/**
 * Opens a link and signs in on its page. Returns the following page, or the page of the link when
 * it has no form.
 */
export async function signInAtLink(
  browser: Browser,
  link: string,
  { email, password }: Visitor,
): Promise<GatewayResponse> {
  const page = await browser.open(link);
  if (page.status !== 200) return page;
  const form = { ...fieldsOf(page), step: 'sign_in', email, password };
  const signedIn = await browser.submit(new URL(link).pathname, form);
  return browser.open(String(signedIn.headers['location']));
}

/**
 * Presses the button of the page. `next` is the address to which the browser is sent; empty when it
 * is sent nowhere.
 */
export async function pressConnect(
  browser: Browser,
  link: string,
  page: GatewayResponse,
): Promise<GatewayResponse & { readonly next: string }> {
  const response = await browser.submit(new URL(link).pathname, { ...fieldsOf(page), step: 'connect' });
  const escaped = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(response.text)?.[1] ?? '';
  return { ...response, next: escaped.replaceAll('&#38;', '&') };
}
