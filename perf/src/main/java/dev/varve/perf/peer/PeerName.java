package dev.varve.perf.peer;

import picocli.CommandLine.ITypeConverter;

/**
 * Takes the name of a {@link Peer} from the command line, and refuses what is none before anything
 * is started or measured. Stateless.
 */
final class PeerName implements ITypeConverter<String> {

  /** For picocli. */
  PeerName() {}

  @Override
  public String convert(String named) {
    if (!named.equals(Peer.REDIS)) {
      RemotePeer.parse(named);
    }
    return named;
  }
}
