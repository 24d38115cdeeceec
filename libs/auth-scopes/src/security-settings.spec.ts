import { isScope } from './catalogue';
import { capabilitiesOf, SECURITY_SETTINGS, securityInForce } from './security-settings';

describe('SECURITY_SETTINGS', () => {
  const defaults = securityInForce({ organisation: {}, workspace: {}, overrides: {} });

  it('has 35 settings, disabled by default only where members would change configs, prompts, guardrails or credentials', () => {
    expect(SECURITY_SETTINGS).toHaveLength(35);
    expect(new Set(SECURITY_SETTINGS.map(({ name }) => name)).size).toBe(35);
    const off = Object.entries(defaults).filter(([, value]) => !value);
    expect(off.map(([name]) => name)).toEqual([
      'membersWriteConfigs',
      'membersWritePrompts',
      'membersWriteGuardrails',
      'membersWriteVirtualKeys',
    ]);
  });

  it('applies the setting of the organisation, unless it lets the workspace override the category [REL-08]', () => {
    const organisation = { membersViewLogs: false, membersViewConfigs: false };
    const workspace = { membersViewLogs: true, membersViewConfigs: true };
    const settings = securityInForce({ organisation, workspace, overrides: { logs: true } });
    expect(settings['membersViewLogs']).toBe(true);
    expect(settings['membersViewConfigs']).toBe(false);
  });

  it('includes analytics for members and for managers [REL-13]', () => {
    expect(defaults).toMatchObject({ membersViewAnalytics: true, managersViewAnalytics: true });
    expect(capabilitiesOf(['analytics.view'])).toEqual(['ViewAnalytics']);
  });

  it("maps a route's scopes to its capabilities", () => {
    expect(capabilitiesOf(['logs.view', 'completions.write', 'logs.write'])).toEqual(['ViewLogs']);
    expect(capabilitiesOf(['organisation_users.list'])).toEqual([]);
    const write = capabilitiesOf(['workspace_user_api_keys.create', 'workspace_service_api_keys.create']);
    expect(write).toEqual(['WriteApiKeys']);
    expect(isScope('configs.create')).toBe(true);
  });
});
