/** What the plugin uses of Medusa, whose own packages weigh 700 MB. */
declare module '@medusajs/framework/utils' {
  export abstract class AbstractNotificationProviderService {
    send(notification: unknown): Promise<{ id?: string }>;
  }
  export function ModuleProvider(module: string, provider: { services: readonly unknown[] }): unknown;
  export const Modules: { NOTIFICATION: string };
}
