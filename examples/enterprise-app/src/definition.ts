import { defineApp } from 'lintel';
import { ACME } from './acme.variables.js';
import { addCustomer } from './customers/add-customer.command.js';
import { CompanyClaim } from './customers/company.claim.js';
import { CustomerBlocked, InvitationRefused } from './customers/customers.errors.js';
import { CustomersModule } from './customers/customers.module.js';
import { Customer, Customers1795300000001 } from './customers/customers.tables.js';
import { invitation } from './customers/invitation.mail.js';
import { orderConfirmation } from './orders/order-confirmation.mail.js';
import { OrderConfirmations } from './orders/order-confirmations.js';
import { orderPriority } from './orders/order-priority.function.js';
import { OrderClosed, OrderTooLarge, UnknownProduct } from './orders/orders.errors.js';
import { OrdersModule } from './orders/orders.module.js';
import { HttpMailTransport } from './ports/http-mail-transport.js';
import { MemoryRateLimitStore } from './ports/memory-rate-limit-store.js';
import { ScryptPasswordHasher } from './ports/scrypt-password-hasher.js';
import { SteadyClock } from './ports/steady-clock.js';
import { SecretTablesModule, TableOneTimeSecrets } from './ports/table-one-time-secrets.js';
import { acmeId, NotStaff } from './sign-in/acme-id.provider.js';
import { tradeForum } from './sign-in/trade-forum.provider.js';
import { restock } from './stock/restock.command.js';
import { OutOfStock } from './stock/stock.errors.js';
import { StockModule } from './stock/stock.module.js';
import { StockLevel, StockLevels1795300000000 } from './stock/stock.tables.js';

/** Acme's extensions of Lintel, for its server, its command line and its tests. */
export const definition = defineApp({
  modules: [StockModule, OrdersModule, CustomersModule, SecretTablesModule],
  entities: [StockLevel, Customer],
  migrations: [StockLevels1795300000000, Customers1795300000001],
  schemas: [new URL('../schemas/', import.meta.url)],
  resources: ['acme.orders.*', 'acme.company.*', 'acme.shipments.*'],
  roles: [
    { role: 'user', allow: ['content.product.list', 'content.product.get', 'content.order.create'] },
    { role: 'user', allow: ['acme.orders.place', 'acme.orders.read', 'acme.company.*'] },
    {
      role: 'sales',
      description: 'Sales staff of Acme',
      allow: ['content.product.*', 'content.order.*', 'acme.orders.*', 'acme.shipments.*'],
    },
    { role: 'shipping', description: 'The shipping service', allow: ['tokens.introspect'] },
  ],
  registration: { reservedUsernames: ['acme', 'sales'] },
  providers: [acmeId, tradeForum],
  errors: [OutOfStock, UnknownProduct, OrderTooLarge, OrderClosed, CustomerBlocked, InvitationRefused, NotStaff],
  claims: [CompanyClaim],
  mail: { mails: [invitation, orderConfirmation], templates: { activation: { subject: 'Welcome to Acme' } } },
  jobs: [OrderConfirmations],
  functions: [orderPriority],
  variables: [ACME],
  commands: [restock, addCustomer],
  ports: {
    clock: SteadyClock,
    mailTransport: HttpMailTransport,
    oneTimeSecrets: TableOneTimeSecrets,
    passwordHasher: ScryptPasswordHasher,
    rateLimitStore: MemoryRateLimitStore,
  },
});
