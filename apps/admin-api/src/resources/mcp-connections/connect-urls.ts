import { Inject, Injectable } from '@nestjs/common';
import { publicUrl, type PublicUrlSettings } from '../../platform/common/public-url';
import { SETTINGS } from '../../settings';

export const CONNECT_PAGE = '/oauth/connect/:serverId';
export const CALLBACK_PATH = '/oauth/upstream-callback';
export const CLIENT_DOCUMENT_PATH = '/oauth/client/:document';

/** Returns the public addresses of the pages with which users connect. */
@Injectable()
export class ConnectUrls {
  /** Public origin of the OAuth server; without one, the base address of links. */
  private readonly base: string;

  constructor(@Inject(SETTINGS) settings: PublicUrlSettings) {
    this.base = settings.PUBLIC_URL ?? publicUrl(settings, '');
  }

  get isHttps(): boolean {
    return this.base.startsWith('https:');
  }

  get callback(): string {
    return this.base + CALLBACK_PATH;
  }

  link(serverId: string, ticket: string): string {
    return `${this.base}${pagePath(serverId)}?t=${ticket}`;
  }

  /**
   * Returns the URL of the document that describes an integration's client to servers that support
   * client documents (CIMD).
   */
  clientDocument(integrationId: string): string {
    return `${this.base}${CLIENT_DOCUMENT_PATH.replace(':document', integrationId)}.json`;
  }
}

export const pagePath = (serverId: string): string => CONNECT_PAGE.replace(':serverId', serverId);
