package dev.varve.server.net.loop;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;

/**
 * Opens connections to other servers, on one event loop.
 *
 * <p>Any thread; what comes of it is told on that loop.
 */
public final class Dialer {
  private final Context context;
  private final NetClient client;

  /**
   * @param context of the event loop
   */
  public Dialer(Vertx vertx, Context context) {
    this.context = context;
    this.client = vertx.createNetClient(new NetClientOptions().setTcpNoDelay(true));
  }

  /** Opens one within so many ms, or fails. */
  public Future<NetSocket> connect(String host, int port, int timeoutMillis) {
    ConnectOptions options = new ConnectOptions().setPort(port).setTimeout(timeoutMillis);
    return Future.future(
        promise ->
            context.runOnContext(
                ignored ->
                    address(host)
                        .timeout(timeoutMillis, TimeUnit.MILLISECONDS)
                        .compose(address -> client.connect(options.setHost(address)))
                        .onComplete(promise)));
  }

  /** Where a host is. Its name is the system's to look up, which may take a while. */
  private Future<String> address(String host) {
    return context.executeBlocking(() -> InetAddress.getByName(host).getHostAddress(), false);
  }
}
