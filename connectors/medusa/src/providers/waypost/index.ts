import { ModuleProvider, Modules } from '@medusajs/framework/utils';
import { WaypostNotificationProvider } from './service.ts';

export default ModuleProvider(Modules.NOTIFICATION, { services: [WaypostNotificationProvider] });
