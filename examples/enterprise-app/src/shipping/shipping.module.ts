import { Body, Controller, type DynamicModule, Get, Module, Post } from '@nestjs/common';
import { CurrentAccount, LintelAccess, LintelGuardModule, Public, type RemoteAccount, Resource } from 'lintel/guards';

/** URL of Lintel, and the API key for token introspection. */
export interface ShippingOptions {
  readonly issuer: string;
  readonly url?: string;
  readonly key: string;
}

/** Shipment: products and their receiver. */
interface Shipment {
  readonly order: string;
  readonly by: string;
  readonly company: string | null;
}

@Controller('shipments')
class ShipmentsController {
  private readonly shipments: Shipment[] = [];

  constructor(private readonly access: LintelAccess) {}

  @Get()
  @Resource('acme.shipments.list')
  list(@CurrentAccount() account: RemoteAccount): { shipments: readonly Shipment[]; mayShip: boolean } {
    return { shipments: this.shipments, mayShip: this.access.can(account, 'acme.shipments.create') };
  }

  @Post()
  @Resource('acme.shipments.create')
  ship(@Body() { order }: { order?: unknown }, @CurrentAccount() account: RemoteAccount): Shipment {
    const company = account.claims?.x_company ?? null;
    const shipment = { order: String(order), by: account.email, company };
    this.shipments.push(shipment);
    return shipment;
  }

  @Get('carriers')
  @Public()
  carriers(): readonly string[] {
    return ['van', 'bicycle'];
  }
}

/** A service without a database, for users of Lintel. Every route is closed by default. */
@Module({})
export class ShippingModule {
  static forRoot(options: ShippingOptions): DynamicModule {
    return {
      module: ShippingModule,
      imports: [LintelGuardModule.forRoot({ ...options, everywhere: true })],
      controllers: [ShipmentsController],
    };
  }
}
